import { type AccessMode, admit } from "@appserver/access";
import type { Activity } from "@appserver/activity";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { callerKey, type GrpcService, grpcService } from "@appserver/transports/grpc";
import type { HandlerContext } from "@connectrpc/connect";

/** Creates `appserver.v2.ActivityService` over the activities. */
export function activityService(activity: Activity, mode: AccessMode): GrpcService {
  return grpcService(
    ActivityService,
    activity.grpc((context: HandlerContext) => ({
      caller: admit(context.values.get(callerKey), mode),
      signal: context.signal,
    })),
  );
}
