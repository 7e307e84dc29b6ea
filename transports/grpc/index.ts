export {
  type AuthenticateCall,
  type CallAdmission,
  callerKey,
  type GrpcCredentials,
  leaseKey,
  type StandingOfCall,
} from "./call-context.ts";
export { createGrpcListener, type GrpcListener, type GrpcListenerOptions } from "./grpc-listener.ts";
export { type GrpcService, grpcService } from "./grpc-service.ts";
