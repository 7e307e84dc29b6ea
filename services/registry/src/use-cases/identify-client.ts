import { AppError, type Caller, callOn, hasAccount, requirePermission } from "@appserver/kernel";
import { engineUserPrefix, isTicket } from "../domain/pull-ticket.ts";
import type { RegistryContext } from "./context.ts";

/** The sender of a request: a user or a service account, or a container engine that pulls the images of one app. */
export type Client =
  | { readonly kind: "account"; readonly caller: Caller & { readonly kind: "user" | "machine" } }
  | { readonly kind: "engine"; readonly app: string };

/** What a request says of its sender. */
export interface Credentials {
  readonly method: string;
  readonly url: string;
  /** The header of this name. Cookies do not count. */
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
}

/** What registers apps pushes their images, and reads them. */
const permission = "app:register";

/**
 * Returns the sender of a request, by `Basic` with a token as the password, or by `Bearer`. Rejects with AUTHENTICATION_REQUIRED,
 * AUTHENTICATION_FAILED, SERVICE_UNAVAILABLE, or RATE_LIMIT_EXCEEDED for a client that guesses.
 */
export async function identifyClient(context: RegistryContext, credentials: Credentials): Promise<Client> {
  const given = passwordOf(credentials.authorization);
  if (given === undefined)
    throw new AppError(
      "AUTHENTICATION_REQUIRED",
      "the registry needs the token of a session or of a service account as the password of any user",
    );
  const client = await known(context, credentials, given);
  if (client) return client;
  await context.attempts.count(credentials.remoteAddress);
  throw new AppError("AUTHENTICATION_FAILED", "the password is not a valid token of a session or of a service account");
}

/** Rejects with PERMISSION_DENIED unless the client may read the images of the app, or push them. */
export async function requireAccess(
  context: RegistryContext,
  client: Client,
  app: string,
  access: "pull" | "push",
): Promise<void> {
  if (client.kind === "account") return await requirePermission(context.permissions, callOn(client, app), permission);
  if (access === "push" || client.app !== app)
    throw new AppError("PERMISSION_DENIED", `this credential of the container engine is for pulls of ${client.app}`);
}

async function known(
  { authenticator, ticketKeys, clock }: RegistryContext,
  { method, url, remoteAddress }: Credentials,
  { user, password }: Given,
): Promise<Client | undefined> {
  if (user.startsWith(engineUserPrefix)) {
    const app = user.slice(engineUserPrefix.length);
    return isTicket(await ticketKeys(), password, app, clock.now()) ? { kind: "engine", app } : undefined;
  }
  const header = (name: string) => (name === "authorization" ? `Bearer ${password}` : undefined);
  try {
    const caller = await authenticator.authenticate({ method, url, remoteAddress, header });
    return hasAccount(caller) ? { kind: "account", caller: caller as Caller & { kind: "user" | "machine" } } : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "AUTHENTICATION_FAILED") return undefined;
    throw error;
  }
}

interface Given {
  readonly user: string;
  readonly password: string;
}

function passwordOf(authorization = ""): Given | undefined {
  const [, scheme = "", value = ""] = /^(basic|bearer) +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return { user: "", password: value };
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
