import { type AccessMode, admit } from "@appserver/access";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import type { Hooks } from "@appserver/hooks";
import { callerKey, type GrpcService, grpcService } from "@appserver/transports/grpc";
import type { HandlerContext } from "@connectrpc/connect";

/** Creates `appserver.v2.HooksService` over the hooks. */
export function hooksService(hooks: Hooks, mode: AccessMode): GrpcService {
  return grpcService(
    HooksService,
    hooks.grpc((context: HandlerContext) => ({
      caller: admit(context.values.get(callerKey), mode),
      signal: context.signal,
    })),
  );
}
