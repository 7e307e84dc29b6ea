import type { AgentConsent as AgentConsentNode, MutationRevokeAgentConsentArgs } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import type { AgentConsent } from "../domain/agent-consent.ts";
import { type AgentAccessContext, readConsents, revokeConsent } from "../use-cases/agents/agent-access.ts";

export type AgentResolversDeps = Pick<AgentAccessContext, "consents" | "audit" | "database">;

/** Resolvers of the part of the schema about what people give to programs. They only translate. */
export function agentResolversOf(context: AgentResolversDeps) {
  return {
    Query: {
      agentConsents: async (_: unknown, __: unknown, call: Call): Promise<readonly AgentConsentNode[]> =>
        (await readConsents(context, call)).map(consentNode),
    },
    Mutation: {
      revokeAgentConsent: (_: unknown, { id }: MutationRevokeAgentConsentArgs, call: Call): Promise<string> =>
        revokeConsent(context, id, call),
    },
  };
}

function consentNode({ userId: _, displayName: __, email: ___, apps, ...consent }: AgentConsent): AgentConsentNode {
  return { ...consent, apps: apps ?? null, usedAt: consent.usedAt ?? null } as AgentConsentNode;
}
