export { type AuthenticateCall, callerKey, type GrpcCredentials } from "./call-context.ts";
export { createGrpcListener, type GrpcListener, type GrpcListenerOptions } from "./grpc-listener.ts";
export { type GrpcService, grpcService } from "./grpc-service.ts";
