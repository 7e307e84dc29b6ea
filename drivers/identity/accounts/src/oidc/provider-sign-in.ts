import { AppError, type Clock, type Logger, returnPath, uuidv7 } from "@appserver/kernel";
import { DatabaseError, type SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { SealedState } from "../browser/sealed-state.ts";
import type { FlowReply, FlowRequest } from "../flows/flow-request.ts";
import { button } from "../flows/form.ts";
import type { Invitations } from "../people/invitations.ts";
import { LinkUsed } from "../people/link-table.ts";
import type { Secrets } from "../people/secrets.ts";
import type { SessionTable, StoredSession } from "../sessions/session-table.ts";
import { placeOf, refreshMs } from "./group-refresh.ts";
import { type Admission, type PendingSignIn, personOfProvider, type Refusal } from "./person-of-provider.ts";
import type { Provider, ProviderAnswer } from "./provider.ts";
import type { ProviderGroups } from "./provider-groups.ts";
import { providerSessionTable } from "./provider-session-table.ts";

export interface ProviderSignInDeps {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly database: AccountsDatabase;
  readonly sessions: SessionTable;
  readonly invitations: Pick<Invitations, "find" | "accept">;
  readonly secrets: Secrets;
  readonly groups: ProviderGroups;
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
/** How long a session lasts whose groups cannot be read again. */
const unreadMs = 8 * 3_600_000;
/** How old the sign-in at the provider may be that proves again who a person is. */
const proofSeconds = 600;
const callbackPath = "/self-service/methods/oidc/callback";

/** What pages say, by the `id` of the page for errors. */
export const providerErrors: Readonly<Record<Refusal | "groups" | "not_accepted" | "other_browser" | "unavailable", string>> = {
  domain: "Your address at this provider is not one that may sign in here.",
  groups: "Your provider did not tell which groups you are in, and they are required here. Ask an administrator.",
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
  readonly #pending: SealedState<PendingSignIn>;

  constructor(deps: ProviderSignInDeps) {
    this.#deps = deps;
    const { key, clock } = deps;
    this.#pending = new SealedState({ purpose: "sign-in at a provider", validMs: pendingMs, key, clock });
  }

  /** Names by id, in the order of the configuration. */
  get names(): readonly (readonly [id: string, name: string])[] {
    return [...this.#deps.providers.values()].map(({ options: { id, name } }) => [id, name]);
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
    const provider = this.#deps.providers.get(id);
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
    const { clock, database, groups, providers } = this.#deps;
    const pending = await this.#pending.open(request.pending);
    const provider = providers.get(id);
    // The provider is compared, because another one could have been given the same `state`.
    if (!provider || pending?.provider !== id) return failed("other_browser");
    const { session } = pending;
    if (session && request.current?.session.id !== session.id) return failed("other_browser");
    try {
      const answer = await provider.complete(request.query.toString(), pending);
      const { authenticatedAt = Number.POSITIVE_INFINITY } = answer.person;
      if (session && authenticatedAt < clock.now() / 1_000 - proofSeconds) return failed("not_accepted");
      const admitted = await database.transaction((tx) => this.#admit(tx, provider, answer, pending));
      if ("refused" in admitted) return failed(admitted.refused);
      // Before there is a session, so that it never has the permissions of groups that the person has left.
      if (!(await groups.take(provider.options, admitted.personId, answer.groups))) return failed("groups");
      const token = await this.#begin(provider, admitted.personId, answer, pending, request);
      return token === undefined ? failed("session_ended") : { ...leave(pending.returnTo), token };
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

  async #admit(tx: SqlExecutor, { options }: Provider, { person }: ProviderAnswer, pending: PendingSignIn): Promise<Admission> {
    const { sessions, invitations } = this.#deps;
    if (!(await sameSession(tx, sessions, pending.session))) return { refused: "session_ended" };
    return await personOfProvider(tx, invitations, options, person, pending);
  }

  /** Returns the token of the session. Undefined if the one in which it began has ended before that. */
  async #begin(
    { options: { id: providerId, groupsClaim } }: Provider,
    personId: string,
    { person: { subject }, refreshToken }: ProviderAnswer,
    pending: PendingSignIn,
    { device, network, current }: FlowRequest,
  ): Promise<string | undefined> {
    const { database, sessions, secrets } = this.#deps;
    const id = uuidv7();
    const reads = groupsClaim !== undefined;
    return await database.transaction(async (tx) => {
      if (!(await sameSession(tx, sessions, pending.session))) return undefined;
      const maxMs = reads && refreshToken === undefined ? unreadMs : undefined;
      const begun = {
        id,
        personId,
        methods: [`oidc:${providerId}`],
        device,
        network,
        replaced: current?.token,
        maxMs,
      } as const;
      const token = await sessions.begin(tx, begun);
      if (!reads || refreshToken === undefined) return token;
      await providerSessionTable.insert(tx, { sessionId: id, providerId, subject }, refreshMs);
      await secrets.keep(tx, placeOf({ personId, sessionId: id }), refreshToken);
      return token;
    });
  }
}

async function sameSession(tx: SqlExecutor, sessions: SessionTable, session: PendingSignIn["session"]): Promise<boolean> {
  return session === undefined || (await sessions.hold(tx, session.id));
}

function failed(error: keyof typeof providerErrors): FlowReply {
  return leave(`/login/error?id=${error}`);
}

function leave(location: string): FlowReply {
  return { status: 303, body: {}, location, pending: "" };
}
