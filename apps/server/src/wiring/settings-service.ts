import { type AccessMode, admit } from "@appserver/access";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import type { SettingsService as Settings } from "@appserver/settings";
import { callerKey, type GrpcService, grpcService } from "@appserver/transports/grpc";
import type { HandlerContext } from "@connectrpc/connect";

/** Creates `appserver.v2.SettingsService` over the settings service. */
export function settingsService(settings: Settings, mode: AccessMode): GrpcService {
  return grpcService(
    SettingsService,
    settings.grpc((context: HandlerContext) => ({
      caller: admit(context.values.get(callerKey), mode),
      signal: context.signal,
    })),
  );
}
