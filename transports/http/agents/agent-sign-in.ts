import type { IncomingMessage, ServerResponse } from "node:http";
import type { Call } from "@appserver/kernel";
import type { RawHandler } from "../request-context.ts";
import type { SignedIn } from "../signed-in.ts";

/** What a program asks of a person. */
export interface AskedConsent {
  readonly uid: string;
  readonly clientId: string;
  /** As the program names itself. Undefined if it does not. */
  readonly clientName: string | undefined;
  /** The host that publishes the description of the program. Undefined for a program that has registered itself, which proves nothing. */
  readonly publisher: string | undefined;
  /** Where the browser goes with the answer. */
  readonly redirectUri: string;
  /** Whether it asks for more than reading. */
  readonly asksToAct: boolean;
}

/** What a person gives. */
export interface GivenConsent {
  /** Undefined: all apps, and the platform. */
  readonly apps: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly days: number;
}

/** An exchange of the browser with the platform at an origin. */
export interface AgentExchange {
  readonly origin: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** OAuth 2.1 for programs that run language models, below `/oauth/agents/`. */
export interface AgentSignIn extends RawHandler {
  /** Returns what is asked of this person in this browser, undefined if it has ended. Throws RATE_LIMIT_EXCEEDED. */
  asked(exchange: AgentExchange, uid: string, person: SignedIn): Promise<AskedConsent | undefined>;
  /** Returns a text with which this person can decide once. */
  ticketFor(asked: AskedConsent, person: SignedIn): Promise<string>;
  /** Returns whether the ticket was made for this person and this request, and was not used. */
  redeem(ticket: string, uid: string, person: SignedIn): Promise<boolean>;
  /**
   * Returns where the browser goes. Undefined `given`: the person gives nothing. Throws INVALID_REQUEST for an app that is no choice, and
   * INVALID_STATE if the person has given too much.
   */
  decide(exchange: AgentExchange, asked: AskedConsent, given: GivenConsent | undefined, call: Call): Promise<string>;
  /** Returns the apps that the person can choose, at most {@link maxChoices}, and whether there are more. */
  choices(call: Call): Promise<AppChoices>;
}

export interface AppChoice {
  readonly name: string;
  readonly displayName: string;
}

export interface AppChoices {
  readonly apps: readonly AppChoice[];
  readonly hasMore: boolean;
}
