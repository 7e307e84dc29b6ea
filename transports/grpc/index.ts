export type {
  AuthenticateCall,
  CallAdmission,
  GrpcCredentials,
  ReauthenticationOfCall,
} from "./call-context.ts";
export { createGrpcListener, type GrpcListener, type GrpcListenerOptions } from "./grpc-listener.ts";
export { type GrpcCall, type GrpcService, grpcService } from "./grpc-service.ts";
