/**
 * Fields of a send request and their types: https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages.
 * Names are in snake case. As everywhere in proto3 JSON, camel case is equivalent.
 */
export type FieldType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'float'
  | 'duration'
  | 'timestamp'
  /** google.protobuf.Struct: any object. */
  | 'struct'
  /** Map of strings to strings. */
  | 'map'
  | { readonly list: FieldType }
  | { readonly name: string; readonly values: readonly string[] }
  | { readonly fields: Fields }

export type Fields = Readonly<Record<string, FieldType>>

const fcmOptions: Fields = { analytics_label: 'string' }
const color: Fields = { red: 'float', green: 'float', blue: 'float', alpha: 'float' }

const androidNotification: Fields = {
  title: 'string',
  body: 'string',
  icon: 'string',
  color: 'string',
  sound: 'string',
  tag: 'string',
  click_action: 'string',
  body_loc_key: 'string',
  body_loc_args: { list: 'string' },
  title_loc_key: 'string',
  title_loc_args: { list: 'string' },
  channel_id: 'string',
  ticker: 'string',
  sticky: 'bool',
  event_time: 'timestamp',
  local_only: 'bool',
  notification_priority: {
    name: 'google.firebase.fcm.v1.AndroidNotification.NotificationPriority',
    values: [
      'PRIORITY_UNSPECIFIED',
      'PRIORITY_MIN',
      'PRIORITY_LOW',
      'PRIORITY_DEFAULT',
      'PRIORITY_HIGH',
      'PRIORITY_MAX',
    ],
  },
  default_sound: 'bool',
  default_vibrate_timings: 'bool',
  default_light_settings: 'bool',
  vibrate_timings: { list: 'duration' },
  visibility: {
    name: 'google.firebase.fcm.v1.AndroidNotification.Visibility',
    values: ['VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'],
  },
  notification_count: 'int32',
  light_settings: {
    fields: { color: { fields: color }, light_on_duration: 'duration', light_off_duration: 'duration' },
  },
  image: 'string',
  bypass_proxy_notification: 'bool',
  proxy: {
    name: 'google.firebase.fcm.v1.AndroidNotification.Proxy',
    values: ['PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'],
  },
}

const android: Fields = {
  collapse_key: 'string',
  priority: { name: 'google.firebase.fcm.v1.AndroidMessagePriority', values: ['NORMAL', 'HIGH'] },
  ttl: 'duration',
  restricted_package_name: 'string',
  data: 'map',
  notification: { fields: androidNotification },
  fcm_options: { fields: fcmOptions },
  direct_boot_ok: 'bool',
  bandwidth_constrained_ok: 'bool',
  restricted_satellite_ok: 'bool',
}

const message: Fields = {
  name: 'string',
  data: 'map',
  notification: { fields: { title: 'string', body: 'string', image: 'string' } },
  android: { fields: android },
  webpush: {
    fields: {
      headers: 'map',
      data: 'map',
      notification: 'struct',
      fcm_options: { fields: { link: 'string', analytics_label: 'string' } },
    },
  },
  apns: {
    fields: {
      headers: 'map',
      payload: 'struct',
      fcm_options: { fields: { analytics_label: 'string', image: 'string' } },
      live_activity_token: 'string',
    },
  },
  fcm_options: { fields: fcmOptions },
  token: 'string',
  topic: 'string',
  condition: 'string',
}

export const sendRequest: Fields = { validate_only: 'bool', message: { fields: message } }
