import { isIP } from "node:net";
import { httpUrlProblem, quote, upstreamPathProblem } from "@appserver/contracts/patterns";
import { invalidField } from "@appserver/kernel";
import type { TargetKind } from "../../domain/targets/target.ts";
import type { TargetsContext } from "./context.ts";

const maxUrlLength = 2_000;
const maxAddresses = 20;
const mailAddress = /^[^\s<>@,"]{1,64}@[^\s<>@,"]{1,190}$/;

/** What a caller gives of where a target is. */
export interface GivenAddress {
  readonly kind: TargetKind;
  readonly url: string | undefined;
  readonly addresses: readonly string[] | undefined;
}

/** Returns the URL, or the addresses separated by commas. Throws INVALID_REQUEST. */
export function checkedAddress(context: TargetsContext, { kind, url, addresses }: GivenAddress): string {
  if (kind === "MAIL") {
    if (url !== undefined) throw invalidField("url", "must be absent for a target of kind MAIL");
    return checkedAddresses(context, addresses ?? []);
  }
  if (addresses !== undefined) throw invalidField("addresses", `must be absent for a target of kind ${kind}`);
  if (url === undefined) throw invalidField("url", `is required for a target of kind ${kind}`);
  return checkedUrl(context, url);
}

/** A name may resolve to another address by the time of a message: then the message is refused. */
function checkedUrl({ transport }: TargetsContext, text: string): string {
  if (text.length > maxUrlLength) throw invalidField("url", `must have at most ${maxUrlLength} characters`);
  const problem = httpUrlProblem(text, { query: true });
  if (problem !== undefined) throw invalidField("url", problem);
  const { hostname, pathname, search } = new URL(text);
  const pathProblem = upstreamPathProblem(pathname + search);
  if (pathProblem !== undefined) throw invalidField("url", `must have a path that ${pathProblem}`);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !transport.allowsAddress(host))
    throw invalidField("url", `must not name ${host}: the rules for addresses refuse it (option upstream.allow)`);
  return text;
}

function checkedAddresses({ sendsMail }: TargetsContext, addresses: readonly string[]): string {
  if (!sendsMail) throw invalidField("kind", "must not be MAIL, because the option mail.url is not set");
  if (addresses.length === 0 || addresses.length > maxAddresses)
    throw invalidField("addresses", `must be 1 to ${maxAddresses}`);
  const wrong = addresses.find((address) => !mailAddress.test(address));
  if (wrong !== undefined) throw invalidField("addresses", `must be addresses such as team@example.com, got ${quote(wrong)}`);
  return addresses.join(",");
}
