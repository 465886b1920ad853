import type { Locale } from '../locales.ts'

/** Names of the actions in the audit log. Only its page gets them, in its own language. */
export type AuditActionNames = Record<string, string>

const en = {
  'account.created': 'Account created',
  'account.deleted': 'Account deleted',
  'account.taken_over': 'Account replaced after its email was verified',
  'admin.called': 'Admin API call',
  'admin.refused': 'Wrong admin secret',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'device.moved': 'Device moved to another user',
  'email.verified': 'Email verified',
  'file.accepted': 'File accepted',
  'file.rejected': 'File rejected',
  'passkey.changed': 'Passkey changed',
  'passkey.created': 'Passkey added',
  'passkey.deleted': 'Passkey deleted',
  'password.changed': 'Password changed',
  'password.refused': 'Password change rejected',
  'password.reset': 'Password reset',
  'push.broadcast': 'Broadcast created',
  'push.cancelled': 'Message canceled',
  'push.sent': 'Message sent',
  'push.token.created': 'Push token created',
  'push.token.revoked': 'Push token revoked',
  'recovery_code.used': 'Recovery code used',
  'recovery_codes.created': 'Recovery codes created',
  'server_key.created': 'Server key created',
  'server_key.revoked': 'Server key revoked',
  'session.created': 'Signed in',
  'session.ended': 'Signed out',
  'session.refused': 'Sign-in failed',
  'session.renewed': 'Session renewed',
  'share.created': 'Shared link created',
  'share.refused': 'Wrong password for a shared link',
  'share.revoked': 'Shared link revoked',
  'topic.subscribed': 'Topic subscribed',
  'topic.unsubscribed': 'Topic unsubscribed',
  'user.changed': 'User changed',
  'user.disabled': 'User disabled',
  'user.enabled': 'User enabled',
  'user.role.changed': 'Role changed',
  'webhook.changed': 'Webhook changed',
} satisfies AuditActionNames

const de: Record<keyof typeof en, string> = {
  'account.created': 'Konto erstellt',
  'account.deleted': 'Konto gelöscht',
  'account.taken_over': 'Konto nach Bestätigung der E-Mail ersetzt',
  'admin.called': 'Aufruf der Admin-API',
  'admin.refused': 'Falsches Admin-Secret',
  'api_key.created': 'API-Schlüssel erstellt',
  'api_key.revoked': 'API-Schlüssel widerrufen',
  'device.moved': 'Gerät zu anderem Konto gewechselt',
  'email.verified': 'E-Mail bestätigt',
  'file.accepted': 'Datei freigegeben',
  'file.rejected': 'Datei abgelehnt',
  'passkey.changed': 'Passkey geändert',
  'passkey.created': 'Passkey hinzugefügt',
  'passkey.deleted': 'Passkey gelöscht',
  'password.changed': 'Passwort geändert',
  'password.refused': 'Passwortänderung abgelehnt',
  'password.reset': 'Passwort zurückgesetzt',
  'push.broadcast': 'Rundnachricht erstellt',
  'push.cancelled': 'Versand abgebrochen',
  'push.sent': 'Nachricht gesendet',
  'push.token.created': 'Push-Token erstellt',
  'push.token.revoked': 'Push-Token widerrufen',
  'recovery_code.used': 'Wiederherstellungscode verwendet',
  'recovery_codes.created': 'Wiederherstellungscodes erstellt',
  'server_key.created': 'Server-Schlüssel erstellt',
  'server_key.revoked': 'Server-Schlüssel widerrufen',
  'session.created': 'Angemeldet',
  'session.ended': 'Abgemeldet',
  'session.refused': 'Anmeldung fehlgeschlagen',
  'session.renewed': 'Sitzung verlängert',
  'share.created': 'Geteilter Link erstellt',
  'share.refused': 'Falsches Passwort für einen geteilten Link',
  'share.revoked': 'Geteilter Link widerrufen',
  'topic.subscribed': 'Thema abonniert',
  'topic.unsubscribed': 'Thema abbestellt',
  'user.changed': 'Konto geändert',
  'user.disabled': 'Konto gesperrt',
  'user.enabled': 'Konto entsperrt',
  'user.role.changed': 'Rolle geändert',
  'webhook.changed': 'Webhook geändert',
}

export const AUDIT_ACTION_NAMES = { en, de } satisfies Record<Locale, AuditActionNames>

/** Names of calls to the admin API that have no entry of their own, by route. `auditCallOf` returns the route. */
export type AuditCallNames = Record<string, string>

const enCalls = {
  'DELETE /api/admin/files/{id}': 'File deleted',
  'DELETE /api/admin/webhooks/{id}': 'Webhook deleted',
  'POST /api/admin/files/{id}/url': 'File opened',
  'POST /api/admin/user-tokens': 'User token created',
  'POST /api/admin/users/{id}/password-reset': 'Password email sent',
  'POST /api/admin/webhooks': 'Webhook created',
  'POST /api/admin/webhooks/{id}/deliveries/{id}/redeliver': 'Event delivered again',
  'POST /api/admin/webhooks/{id}/test': 'Test event sent',
} satisfies AuditCallNames

const deCalls: Record<keyof typeof enCalls, string> = {
  'DELETE /api/admin/files/{id}': 'Datei gelöscht',
  'DELETE /api/admin/webhooks/{id}': 'Webhook gelöscht',
  'POST /api/admin/files/{id}/url': 'Datei geöffnet',
  'POST /api/admin/user-tokens': 'Konto-Token erstellt',
  'POST /api/admin/users/{id}/password-reset': 'E-Mail zum Passwort gesendet',
  'POST /api/admin/webhooks': 'Webhook erstellt',
  'POST /api/admin/webhooks/{id}/deliveries/{id}/redeliver': 'Ereignis erneut zugestellt',
  'POST /api/admin/webhooks/{id}/test': 'Testereignis gesendet',
}

export const AUDIT_CALL_NAMES = { en: enCalls, de: deCalls } satisfies Record<Locale, AuditCallNames>
