import { AppError, type Clock, type Logger, returnPath } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { SealedState } from "../browser/sealed-state.ts";
import type { FlowReply, FlowRequest } from "../flows/flow-request.ts";
import { button } from "../flows/form.ts";
import type { Invitations } from "../people/invitations.ts";
import { LinkUsed } from "../people/link-table.ts";
import type { SessionTable, StoredSession } from "../sessions/session-table.ts";
import { type Admission, type PendingSignIn, personOfProvider, type Refusal } from "./person-of-provider.ts";
import { Provider } from "./provider.ts";
import type { ProviderOptions } from "./provider-options.ts";

export interface ProviderSignInDeps {
  readonly providers: readonly ProviderOptions[];
  readonly database: AccountsDatabase;
  readonly sessions: SessionTable;
  readonly invitations: Pick<Invitations, "find" | "accept">;
  readonly key: () => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the sign-in at a provider is for. */
export interface ProviderPurpose {
  readonly returnTo: string;
  readonly invitation?: string;
  /** The session whose person proves again who they are, or connects the provider. */
  readonly session?: StoredSession | undefined;
  readonly connects?: boolean;
}

const pendingMs = 600_000;
/** How old the sign-in at the provider may be that proves again who a person is. */
const proofSeconds = 600;
const callbackPath = "/self-service/methods/oidc/callback";

/** What pages say, by the `id` of the page for errors. */
export const providerErrors: Readonly<Record<Refusal | "not_accepted" | "other_browser" | "unavailable", string>> = {
  domain: "Your address at this provider is not one that may sign in here.",
  disabled: "This account is disabled. Ask an administrator.",
  session_ended: "The session in which this began has ended. Sign in, and begin again.",
  other_person: "That account of the provider belongs to another person here.",
  address_known: "There is an account with your address. Sign in to it, and connect the provider under Account.",
  link_used: "This invitation was used, or its time is over. Ask for another one.",
  not_accepted: "The provider did not confirm who you are. Try again.",
  unavailable: "The provider, or this platform, does not respond. Try again later.",
  other_browser: "That took too long, or began in another browser. Try again.",
};

/** The sign-in at OpenID providers. What is pending is in a sealed cookie: nothing is stored for strangers. */
export class ProviderSignIn {
  readonly #deps: ProviderSignInDeps;
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #pending: SealedState<PendingSignIn>;

  constructor(deps: ProviderSignInDeps) {
    this.#deps = deps;
    const { key, clock } = deps;
    this.#pending = new SealedState({ purpose: "sign-in at a provider", validMs: pendingMs, key, clock });
    this.#providers = new Map(deps.providers.map((options) => [options.id, new Provider(options, deps.clock, deps.logger)]));
  }

  /** Names by id, in the order of the configuration. */
  get names(): readonly (readonly [id: string, name: string])[] {
    return [...this.#providers.values()].map(({ options: { id, name } }) => [id, name]);
  }

  /** Returns a button for each provider, or for these. */
  buttons(isShown: (id: string) => boolean = () => true) {
    return this.names
      .filter(([id]) => isShown(id))
      .map(([id, name]) => button("oidc", `Continue with ${name}`, "provider", id));
  }

  /** Sends the browser to a provider. */
  async begin(
    id: string,
    { origin }: FlowRequest,
    { returnTo, invitation, session, connects }: ProviderPurpose,
  ): Promise<FlowReply> {
    const provider = this.#providers.get(id);
    if (!provider) throw new AppError("NOT_FOUND", `there is no provider ${JSON.stringify(id)}`);
    const { url, pending } = await provider.begin(`${origin}${callbackPath}/${id}`, session !== undefined);
    const sealed = await this.#pending.seal({
      ...pending,
      provider: id,
      returnTo: returnPath(returnTo.startsWith(`${origin}/`) ? returnTo.slice(origin.length) : returnTo),
      ...(invitation !== undefined && { invitation }),
      ...(session !== undefined && { session: { id: session.id, personId: session.personId } }),
      ...(connects && { connects }),
    });
    return { status: 422, body: { redirect_browser_to: url }, pending: sealed };
  }

  /** Takes a browser that comes back from a provider. */
  async complete(id: string, request: FlowRequest): Promise<FlowReply> {
    const { clock, database, invitations, sessions } = this.#deps;
    const pending = await this.#pending.open(request.pending);
    const provider = this.#providers.get(id);
    // The provider is compared, because another one could have been given the same `state`.
    if (!provider || pending?.provider !== id) return failed("other_browser");
    const { session } = pending;
    if (session && request.current?.session.id !== session.id) return failed("other_browser");
    try {
      const proven = await provider.complete(request.query.toString(), pending);
      const { authenticatedAt = Number.POSITIVE_INFINITY } = proven;
      if (session && authenticatedAt < clock.now() / 1_000 - proofSeconds) return failed("not_accepted");
      const admitted = await database.transaction(async (tx): Promise<Admission & { readonly token?: string }> => {
        if (session && !(await sessions.hold(tx, session.id))) return { refused: "session_ended" };
        const admission = await personOfProvider(tx, invitations, provider.options, proven, pending);
        if ("refused" in admission) return admission;
        const { personId } = admission;
        const { device, network, current } = request;
        const begun = { personId, methods: [`oidc:${id}`], device, network, replaced: current?.token } as const;
        return { personId, token: await sessions.begin(tx, begun) };
      });
      if ("refused" in admitted) return failed(admitted.refused);
      return { ...leave(pending.returnTo), ...(admitted.token !== undefined && { token: admitted.token }) };
    } catch (error) {
      if (error instanceof AppError && error.code === "AUTHENTICATION_FAILED") return failed("not_accepted");
      if (error instanceof LinkUsed) return failed("link_used");
      // Two sign-ins of a new person at the same time: the first one has made the account.
      if (error instanceof DatabaseError && error.reason === "unique_violation") return failed("address_known");
      // The browser shows what comes back as a page.
      this.#deps.logger.warn({ err: error, provider: id }, "accounts: a sign-in at a provider failed");
      return failed("unavailable");
    }
  }
}

function failed(error: keyof typeof providerErrors): FlowReply {
  return leave(`/login/error?id=${error}`);
}

function leave(location: string): FlowReply {
  return { status: 303, body: {}, location, pending: "" };
}
