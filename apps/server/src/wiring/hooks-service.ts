import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import type { HookApps, Hooks } from "@appserver/hooks";
import type { CreationHook } from "@appserver/marketplace";
import type { HandlerContext } from "@connectrpc/connect";
import { callerKey, type GrpcService, grpcService } from "../listeners/grpc/index.ts";
import { type AccessMode, admit } from "./caller-access.ts";

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

/** Returns the hook that the marketplace runs during an installation. */
export function creationHook(hooks: Pick<Hooks, "onCreate">, apps: HookApps): CreationHook {
  return {
    run: async ({ name }, operationId, actor) => {
      const app = await apps.find(name);
      if (app) await hooks.onCreate({ app, operationId, actor });
    },
  };
}
