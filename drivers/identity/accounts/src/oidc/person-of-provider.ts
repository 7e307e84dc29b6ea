import { uuidv7 } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { Invitations } from "../people/invitations.ts";
import { personTable } from "../people/person-table.ts";
import type { PendingSignIn } from "./flow-cookie.ts";
import { identityTable } from "./identity-table.ts";
import type { ProvenPerson } from "./provider.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** Why a proven person does not get in. */
export type Refusal = "domain" | "disabled" | "other_person" | "address_known" | "link_used";

export type Admission = { readonly personId: string } | { readonly refused: Refusal };

/**
 * Returns whose account a person of a provider enters. An identity leads to an account only if it was connected with it before, by its owner or by
 * an invitation; by its address only if `link_by_email` allows it, and both sides have proven the address.
 */
export async function personOfProvider(
  tx: SqlExecutor,
  invitations: Pick<Invitations, "find" | "use">,
  options: ProviderOptions,
  proven: ProvenPerson,
  pending: PendingSignIn,
): Promise<Admission> {
  if (!isAllowed(proven, options)) return { refused: "domain" };
  const known = await identityTable.personOf(tx, proven);
  const { personId: owner, connects = false, invitation } = pending;
  if (owner !== undefined && known !== owner && !(connects && known === undefined)) return { refused: "other_person" };
  if (known !== undefined) return (await personTable.isActive(tx, known)) ? { personId: known } : { refused: "disabled" };
  const personId = owner ?? (await accountFor(tx, invitations, options, proven, invitation));
  if (typeof personId === "object") return personId;
  await identityTable.link(tx, proven, options.id, personId);
  return { personId };
}

function isAllowed({ email, isEmailProven }: ProvenPerson, { allowedDomains }: ProviderOptions): boolean {
  if (allowedDomains.length === 0) return true;
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return isEmailProven && domain !== undefined && allowedDomains.includes(domain);
}

async function accountFor(
  tx: SqlExecutor,
  invitations: Pick<Invitations, "find" | "use">,
  options: ProviderOptions,
  proven: ProvenPerson,
  invitation: string | undefined,
): Promise<string | { readonly refused: Refusal }> {
  if (invitation !== undefined) return await invitedPerson(tx, invitations, proven, invitation);
  const email = proven.isEmailProven ? proven.email : undefined;
  if (email !== undefined && options.linkByEmail === "verified") {
    const known = await personTable.withProvenEmail(tx, email);
    if (known?.isInvited) await personTable.complete(tx, { id: known.id, email, isEmailProven: true, name: nameOf(proven) });
    if (known) return known.id;
  }
  if (email !== undefined && (await personTable.idOf(tx, email)) !== undefined) return { refused: "address_known" };
  const id = uuidv7();
  await personTable.create(tx, { id, email, isEmailProven: email !== undefined, name: nameOf(proven) });
  return id;
}

async function invitedPerson(
  tx: SqlExecutor,
  invitations: Pick<Invitations, "find" | "use">,
  proven: ProvenPerson,
  token: string,
): Promise<string | { readonly refused: Refusal }> {
  const invited = await invitations.find(token);
  if (!invited || !(await invitations.use(tx, token))) return { refused: "link_used" };
  const ownEmail = proven.isEmailProven ? proven.email : undefined;
  const email = invited.email ?? ownEmail;
  const isEmailProven = email !== undefined && email.toLowerCase() === ownEmail?.toLowerCase();
  await personTable.complete(tx, { id: invited.id, email, isEmailProven, name: invited.name || nameOf(proven) });
  return invited.id;
}

function nameOf({ name, email, subject }: ProvenPerson): string {
  return name ?? email ?? subject.slice(0, 100);
}
