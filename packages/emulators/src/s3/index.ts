/** S3-compatible object store on loopback: strict about signatures, durable, with scriptable faults. */
export { type ControlServer, startControlServer } from './control-server.ts'
export { DIALECTS, type Dialect } from './dialects.ts'
export { type S3Emulator, type S3Options, startS3 } from './emulator.ts'
export type { FaultScript } from './fault-script.ts'
export type { FaultAction, FaultRule, Held, Point, Quirks } from './fault-types.ts'
export { connectS3 } from './remote.ts'
export type { ObjectView, RequestLog, UploadView } from './request-log.ts'
export type { AuthKind, Credential, LoggedRequest, Operation } from './types.ts'
