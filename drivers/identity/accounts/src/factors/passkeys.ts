import { randomBytes } from "node:crypto";
import type { Clock, Logger } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { SealedState } from "../browser/sealed-state.ts";
import type { FlowRequest } from "../flows/flow-request.ts";
import { passkeyTable, type StoredPasskey } from "./passkey-table.ts";
import { type RelyingParty, relyingPartyOf } from "./relying-party.ts";

export interface PasskeysDeps {
  readonly database: SqlExecutor;
  readonly key: () => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly platformName: string;
}

/** A challenge, and what the browser keeps of it. */
export interface BrowserChallenge {
  readonly challenge: string;
  readonly kept: string;
}

/** A signature of a passkey. It counts when {@link Passkeys.use} has used it up. */
export interface PasskeyProof {
  readonly passkey: StoredPasskey;
  readonly challenge: string;
  readonly counter: number;
}

interface PasskeySetup {
  readonly challenge: string;
  readonly sessionId: string;
}

export interface PasskeyOwner {
  readonly personId: string;
  readonly sessionId: string;
  /** The address, or the name of a person without one. */
  readonly account: string;
  readonly name: string;
}

const challengeBytes = 32;
const validMs = 600_000;
/** A form that is shown now can be used so long. */
const leftMs = 300_000;
const timeout = 300_000;

/** Passkeys (WebAuthn). The authenticator always verifies the person, so that a passkey is two factors. */
export class Passkeys {
  readonly #deps: PasskeysDeps;
  readonly #challenges: SealedState<{ readonly challenge: string }>;
  readonly #setups: SealedState<PasskeySetup>;

  constructor(deps: PasskeysDeps) {
    this.#deps = deps;
    const { key, clock } = deps;
    this.#challenges = new SealedState({ purpose: "challenge for a passkey", validMs, key, clock });
    this.#setups = new SealedState({ purpose: "setup of a passkey", validMs, key, clock });
  }

  /** Returns the challenge that this browser has, so that several tabs can be used, or a new one. */
  async challengeOf(kept: string | undefined): Promise<BrowserChallenge> {
    const known = await this.#challenges.open(kept, leftMs);
    if (known && kept !== undefined) return { challenge: known.challenge, kept };
    const challenge = randomBytes(challengeBytes).toString("base64url");
    return { challenge, kept: await this.#challenges.seal({ challenge }) };
  }

  /** Returns the options of `navigator.credentials.get`. Without passkeys, the person chooses one of the authenticator. */
  requestOptions({ id }: RelyingParty, challenge: string, passkeys: readonly StoredPasskey[] = []): object {
    const allowCredentials = passkeys.map(({ credentialId, transports }) => ({
      id: credentialId,
      type: "public-key",
      transports,
    }));
    return { challenge, rpId: id, userVerification: "required", timeout, allowCredentials };
  }

  /** Returns the options of `navigator.credentials.create`, and what the form keeps of it. */
  async creationOptions(party: RelyingParty, { personId, sessionId, account, name }: PasskeyOwner) {
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    const known = await passkeyTable.list(this.#deps.database, personId);
    const options = await generateRegistrationOptions({
      rpName: this.#deps.platformName,
      rpID: party.id,
      userID: new Uint8Array(Buffer.from(personId)),
      userName: account,
      userDisplayName: name,
      timeout,
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    return { options, setup: await this.#setups.seal({ challenge: options.challenge, sessionId }) };
  }

  /** Returns the passkey that was made with the options of this session. Undefined if it is not valid. */
  async created(party: RelyingParty, response: string, setup: string | null, sessionId: string) {
    const [parsed, known] = [parse<RegistrationResponseJSON>(response), await this.#setups.open(setup)];
    if (!parsed || known?.sessionId !== sessionId) return undefined;
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const verified = await verifyRegistrationResponse({
      response: parsed,
      expectedChallenge: known.challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    }).catch((error: unknown) => this.#refused(error));
    if (!verified?.verified) return undefined;
    const { id: credentialId, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    const { challenge } = known;
    return {
      challenge,
      credentialId,
      publicKey,
      counter,
      transports: transports.filter(isTransport).slice(0, 10),
      rpId: party.id,
    };
  }

  /** Verifies a signature of a passkey of this host, for the challenge of this browser. Undefined if it is not valid. */
  async prove({ origin, challenge: kept, fields }: FlowRequest): Promise<PasskeyProof | undefined> {
    const party = relyingPartyOf(origin);
    const response = parse<AuthenticationResponseJSON>(fields.get("passkey") ?? "");
    const known = await this.#challenges.open(kept);
    if (!party || !response || !known) return undefined;
    const passkey = await passkeyTable.find(this.#deps.database, response.id);
    if (!passkey || passkey.rpId !== party.id || !isOwnerIn(response, passkey)) return undefined;
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: known.challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
      requireUserVerification: true,
    }).catch((error: unknown) => this.#refused(error));
    if (!verified?.verified) return undefined;
    return { passkey, challenge: known.challenge, counter: verified.authenticationInfo.newCounter };
  }

  /** Uses a proof up. Returns false if its challenge was used before, or its counter is not above the last one. */
  async use(tx: SqlExecutor, { passkey, challenge, counter }: PasskeyProof): Promise<boolean> {
    return (await passkeyTable.useChallenge(tx, challenge)) && (await passkeyTable.use(tx, passkey.credentialId, counter));
  }

  /** The library throws for whatever is wrong in a response. */
  #refused(error: unknown): undefined {
    this.#deps.logger.info({ err: error }, "accounts: a passkey was refused");
    return undefined;
  }
}

/** Undefined for a text that is no credential in JSON. The library checks the rest. */
function parse<Response extends AuthenticationResponseJSON | RegistrationResponseJSON>(text: string): Response | undefined {
  try {
    const value = JSON.parse(text) as Partial<Response> | null;
    const isCredential = typeof value?.id === "string" && typeof value.response === "object" && value.response !== null;
    return isCredential ? (value as Response) : undefined;
  } catch {
    return undefined;
  }
}

/** Authenticators return the id of the person for whom the passkey was made, if they keep it. */
function isOwnerIn({ response: { userHandle } }: AuthenticationResponseJSON, { personId }: StoredPasskey): boolean {
  return userHandle === undefined || userHandle === null || userHandle === Buffer.from(personId).toString("base64url");
}

function isTransport(text: unknown): boolean {
  return typeof text === "string" && /^[a-z-]{1,20}$/.test(text);
}
