import { types } from "@appserver/driver";

/** An OpenID provider at which people sign in. */
export interface ProviderOptions {
  /** Part of the redirect URI: `…/self-service/methods/oidc/callback/<id>`. */
  readonly id: string;
  /** On the button. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Only people with a proven address of these domains may sign in. Empty: all people of the issuer. */
  readonly allowedDomains: readonly string[];
  /** Whether a proven address of the provider leads to the account that has this address, if its owner has proven it, too. */
  readonly linkByEmail: "never" | "verified";
  /** The claim with the person's groups, by its name or by its path: `groups`, `realm_access.roles`. Undefined: they are not read. */
  readonly groupsClaim?: string | undefined;
  /** What happens if the provider does not tell the groups: `strict` refuses the sign-in, `lenient` keeps the last known for a day. */
  readonly groupsMode?: "strict" | "lenient";
}

const known = new Set([
  "id",
  "name",
  "issuer",
  "client_id",
  "client_secret",
  "client_secret_file",
  "scopes",
  "allowed_domains",
  "link_by_email",
  "groups_claim",
  "groups_mode",
]);

/** All people can have an account there. */
const openIssuers =
  /^https:\/\/(?:accounts\.google\.com|gitlab\.com|login\.microsoftonline\.com\/(?:common|consumers|organizations)\b)/;

/** The providers of the accounts, in the order of their buttons. */
export const providersType = types.structures<ProviderOptions>({
  expected: "a list of providers, each with id, issuer, client_id and client_secret (or client_secret_file)",
  secrets: ["client_secret"],
  read: (fields, readFile) => {
    try {
      return { value: providerOf(fields, readFile) };
    } catch (error) {
      return { expected: error instanceof Error ? error.message : String(error) };
    }
  },
});

/** Throws an Error whose message completes "expected …". */
function providerOf(fields: types.Fields, readFile: (path: string) => Buffer): ProviderOptions {
  const text = (name: string): string | undefined => {
    const value = fields[name];
    if (value === undefined || value === "") return undefined;
    if (typeof value === "string") return value;
    throw new Error(`a text in ${name}`);
  };
  const required = (name: string, form = /./): string => {
    const value = text(name);
    if (value !== undefined && form.test(value)) return value;
    throw new Error(`${name}${form.source === "." ? "" : ` of the form ${form.source}`}`);
  };
  const list = (name: string, preset: readonly string[]): readonly string[] => {
    const value = fields[name] ?? preset;
    const items = typeof value === "string" ? value.split(/[\s,]+/).filter((item) => item !== "") : value;
    if (Array.isArray(items) && items.every((item) => typeof item === "string")) return items;
    throw new Error(`a list of texts in ${name}`);
  };
  const unknown = Object.keys(fields).find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`none other than ${[...known].join(", ")}, got ${unknown}`);
  const id = required("id", /^[a-z0-9][a-z0-9-]{0,31}$/);
  const issuer = required("issuer", /^https:\/\/[^?#\s]+$|^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/[^?#\s]*)?$/);
  const allowedDomains = list("allowed_domains", []).map((domain) => domain.toLowerCase());
  if (openIssuers.test(issuer) && allowedDomains.length === 0) {
    throw new Error(`allowed_domains, because everyone can have an account at ${issuer}`);
  }
  const linkByEmail = text("link_by_email") ?? "never";
  if (linkByEmail !== "never" && linkByEmail !== "verified") throw new Error("never or verified in link_by_email");
  if (linkByEmail === "verified" && allowedDomains.length === 0) {
    throw new Error("allowed_domains with link_by_email: verified, because the provider may prove addresses of others");
  }
  const groupsMode = text("groups_mode") ?? "lenient";
  if (groupsMode !== "strict" && groupsMode !== "lenient") throw new Error("strict or lenient in groups_mode");
  return {
    id,
    groupsClaim: text("groups_claim"),
    groupsMode,
    name: text("name") ?? id,
    issuer,
    clientId: required("client_id"),
    clientSecret: secretOf(text("client_secret"), text("client_secret_file"), readFile),
    scopes: list("scopes", ["openid", "email", "profile"]),
    allowedDomains,
    linkByEmail,
  };
}

function secretOf(secret: string | undefined, file: string | undefined, readFile: (path: string) => Buffer): string {
  if ((secret === undefined) === (file === undefined)) throw new Error("either client_secret or client_secret_file");
  return (
    secret ??
    readFile(file ?? "")
      .toString("utf8")
      .replace(/\r?\n$/, "")
  );
}
