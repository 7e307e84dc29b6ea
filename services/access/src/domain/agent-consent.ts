import type { Caller } from "@appserver/kernel";

/** What a person has given to a program that runs a language model (docs/interface/mcp.md#consent). */
export interface AgentConsent {
  readonly id: string;
  readonly userId: string;
  /** Of the person, at the time of the consent. */
  readonly displayName: string;
  readonly email?: string | undefined;
  readonly clientId: string;
  /** As the program names itself. */
  readonly clientName: string;
  /** Names of the only apps that it may use. Undefined: what the person may use. */
  readonly apps?: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt?: Date | undefined;
}

/** Returns the caller that the program is with its token. */
export function callerOf({ userId, displayName, email, clientName, apps, isReadOnly }: AgentConsent): Caller {
  return {
    kind: "user",
    id: userId,
    displayName,
    email,
    agent: { client: clientName, isReadOnly, bounds: apps && { apps } },
  };
}

/** A row of what OAuth 2.1 needs: a program that has registered itself, a sign-in in progress, a code, a token. */
export interface OAuthRecord {
  readonly model: string;
  readonly key: string;
  /** The consent that it belongs to. */
  readonly grantId?: string | undefined;
  readonly uid?: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
  readonly consumedAt?: Date | undefined;
}
