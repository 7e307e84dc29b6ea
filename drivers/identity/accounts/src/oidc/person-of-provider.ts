import { uuidv7 } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { Invitations } from "../people/invitations.ts";
import { personTable } from "../people/person-table.ts";
import { identityTable } from "./identity-table.ts";
import type { PendingRequest, ProvenPerson } from "./provider.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** A sign-in at a provider that has begun in this browser. */
export interface PendingSignIn extends PendingRequest {
  readonly provider: string;
  /** Path of this platform to which the browser returns. */
  readonly returnTo: string;
  /** The token of an invitation that the person completes by it. */
  readonly invitation?: string;
  /** The session whose person proves again who they are, or connects the provider with the account. */
  readonly session?: { readonly id: string; readonly personId: string };
  readonly connects?: boolean;
}

/** Why a proven person does not get in. */
export type Refusal = "domain" | "disabled" | "session_ended" | "other_person" | "address_known" | "link_used";

export type Admission = { readonly personId: string } | { readonly refused: Refusal };

/**
 * Returns whose account a person of a provider enters. An identity leads to an account only if it was connected with it before, by its owner or by
 * an invitation; by its address only if `link_by_email` allows it, and both sides have proven the address.
 */
export async function personOfProvider(
  tx: SqlExecutor,
  invitations: Pick<Invitations, "find" | "accept">,
  options: ProviderOptions,
  proven: ProvenPerson,
  pending: PendingSignIn,
): Promise<Admission> {
  if (!isAllowed(proven, options)) return { refused: "domain" };
  const known = await identityTable.personOf(tx, proven);
  const { session, connects = false, invitation } = pending;
  const owner = session?.personId;
  if (owner !== undefined && known !== owner && !(connects && known === undefined)) return { refused: "other_person" };
  if (known !== undefined) return (await personTable.isActive(tx, known)) ? { personId: known } : { refused: "disabled" };
  const personId = owner ?? (await accountFor(tx, invitations, options, proven, invitation));
  if (typeof personId === "object") return personId;
  await identityTable.link(tx, proven, options.id, personId);
  return { personId };
}

const google = "https://accounts.google.com";

/** At Google, a person keeps an account with a company's address that they made themselves. Those of the company have `hd`. */
function isAllowed({ issuer, email, isEmailProven, hostedDomain }: ProvenPerson, { allowedDomains }: ProviderOptions): boolean {
  if (allowedDomains.length === 0) return true;
  if (issuer === google) return hostedDomain !== undefined && allowedDomains.includes(hostedDomain);
  const [, domain, ...others] = email?.toLowerCase().split("@") ?? [];
  return isEmailProven && domain !== undefined && others.length === 0 && allowedDomains.includes(domain);
}

async function accountFor(
  tx: SqlExecutor,
  invitations: Pick<Invitations, "find" | "accept">,
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
  invitations: Pick<Invitations, "find" | "accept">,
  proven: ProvenPerson,
  token: string,
): Promise<string | { readonly refused: Refusal }> {
  const invited = await invitations.find(token, tx);
  if (!invited) return { refused: "link_used" };
  const ownEmail = proven.isEmailProven ? proven.email : undefined;
  const email = invited.email ?? ownEmail;
  const isEmailProven = email !== undefined && email.toLowerCase() === ownEmail?.toLowerCase();
  await invitations.accept(tx, token, { id: invited.id, email, isEmailProven, name: invited.name || nameOf(proven) });
  return invited.id;
}

function nameOf({ name, email, subject }: ProvenPerson): string {
  return name ?? email ?? subject.slice(0, 100);
}
