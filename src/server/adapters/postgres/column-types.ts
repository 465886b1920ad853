import type { AuditEntry } from '../../domain/accounts/audit-trail.ts'
import type { SignInMethod } from '../../domain/accounts/principal.ts'
import type { ApiKeyScope } from '../../domain/accounts/schema.ts'
import type { ServerKeyScope } from '../../domain/accounts/server-key-schema.ts'
import type { Audience } from '../../domain/push/broadcasts/broadcast.ts'
import type { CircuitBreaker } from '../../domain/push/delivery/circuit-breaker.ts'
import type { Upstream } from '../../domain/push/delivery/upstream.ts'
import type { PushService } from '../../domain/push/devices/push-services.ts'
import type { Timeline } from '../../domain/push/inbox/timeline.ts'
import type { Failure } from '../../domain/push/messages/counts.ts'
import type { Content } from '../../domain/push/messages/notification.ts'
import type { DeliveryAttempt, DeliveryType, EventType } from '../../domain/webhooks/schema.ts'
import type { AuditAction } from '../../kernel/audit.ts'
import type { FlatData } from '../../kernel/flat-data.ts'

/** Types of columns whose values PostgreSQL cannot describe: the shape of `jsonb`, and the texts that a column can have. */
export type ColumnTypes = {
  'api_keys.scopes': ApiKeyScope[]
  'audit_entries.action': AuditAction
  'audit_entries.details': AuditEntry['details']
  'devices.web_service': PushService
  'files.data': FlatData
  'message_templates.content': Record<string, unknown>
  'push_circuit_breakers.recent': CircuitBreaker['recent']
  'push_circuit_breakers.upstream': Upstream
  'push_message_chunks.upstream': Upstream
  'push_messages.audience': Audience
  'push_messages.content': Content
  'push_messages.failures': Failure[]
  'push_messages.timeline': Timeline
  'server_keys.scopes': ServerKeyScope[]
  'sessions.method': SignInMethod
  'webhook_deliveries.data': Record<string, unknown>
  'webhook_deliveries.history': DeliveryAttempt[]
  'webhook_deliveries.type': DeliveryType
  'webhooks.events': EventType[]
}
