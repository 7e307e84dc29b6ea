export { CertificateWatch, type CertificateWatchOptions } from "./certificate-watch.ts";
export type { DevLogin } from "./dev-login.ts";
export type { ServerLimits, TlsCertificate, TlsOptions } from "./dual-protocol-server.ts";
export { type CheckResult, type HealthCheck, HealthChecks, type Readiness } from "./health-checks.ts";
export { createHttpListener, type HttpListener, type HttpListenerOptions } from "./http-listener.ts";
export { type ListenAddress, PortInUseError } from "./listen.ts";
export type { ServiceHandlers } from "./listener-handlers.ts";
export { Origins } from "./origins.ts";
export type { RawHandler, RequestContext } from "./request-context.ts";
