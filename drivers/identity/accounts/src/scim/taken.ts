import { DatabaseError } from "@appserver/kernel/ports";
import { ScimError } from "./scim-error.ts";

const details: Readonly<Record<string, string>> = {
  scim_user_name: "another user has this userName",
  scim_group_name: "another group has this displayName",
};
/** Also for the address of an account that SCIM did not make: it is never taken over. */
const taken = "another account has this e-mail address";

/** Does the work. Throws uniqueness if a name or an address belongs to another resource. */
export async function refuseTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.reason !== "unique_violation") throw error;
    throw new ScimError(409, details[error.constraint ?? ""] ?? taken, "uniqueness");
  }
}
