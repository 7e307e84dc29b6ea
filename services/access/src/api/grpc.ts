import type {
  CheckPermissionsRequest,
  FindPeopleRequest,
  GetPeopleRequest,
  NotifyPersonRequest,
} from "@appserver/contracts/proto/appserver/v2/access";
import type { BatchedPermissions, Call } from "@appserver/kernel";
import type { Person } from "../ports.ts";
import { checkOwnPermissions } from "../use-cases/check-own-permissions.ts";
import { type NotifyContext, notifyPerson } from "../use-cases/messages/notify-person.ts";
import { type DirectoryContext, findPeople, getPeople } from "../use-cases/read-directory.ts";

export interface AccessGrpcContext extends DirectoryContext, NotifyContext {
  readonly permissions: BatchedPermissions;
}

/** Returns the methods of `appserver.v2.AccessService`. They only translate between gRPC and the use cases. */
export function accessGrpc(context: AccessGrpcContext) {
  return {
    findPeople: async (request: FindPeopleRequest, call: Call) => ({
      people: (await findPeople(context, request, call)).map(personMessage),
    }),
    getPeople: async ({ userIds }: GetPeopleRequest, call: Call) => ({
      people: (await getPeople(context, userIds, call)).map(personMessage),
    }),
    checkPermissions: async (request: CheckPermissionsRequest, call: Call) => ({
      held: [...(await checkOwnPermissions(context, request, call))],
    }),
    notifyPerson: async (request: NotifyPersonRequest, call: Call) => ({
      messageId: await notifyPerson(context, request, call),
    }),
  };
}

function personMessage({ userId, displayName, email = "", isActive: active = true }: Person) {
  return { userId, displayName, email, active };
}
