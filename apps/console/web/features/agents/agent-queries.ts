import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import * as operations from "../../generated/operations.ts";

export type AgentConsent = operations.AgentConsentsQuery["agentConsents"][number];

export const agentConsentsQuery = queryOptions({
  queryKey: ["agent-consents"],
  queryFn: async () => (await send(operations.AgentConsentsDocument, {})).agentConsents,
});

export async function revokeAgentConsent(id: string): Promise<void> {
  await send(operations.RevokeAgentConsentDocument, { id });
  await queryClient.invalidateQueries({ queryKey: agentConsentsQuery.queryKey });
}
