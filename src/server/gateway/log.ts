/** Where a gateway tells operators what it cannot tell its caller. pino has this shape. */
export type GatewayLog = {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
