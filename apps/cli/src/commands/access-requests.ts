import { ask } from "../client.ts";
import {
  type AccessDecision,
  type AccessRequestFragment,
  AccessRequestsDocument,
  DecideAccessRequestDocument,
  RequestAccessDocument,
  type RequestAccessMutationVariables,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { takeFromPages } from "../pages.ts";
import { renderTable } from "../table.ts";
import { personText } from "./access.ts";

const maxListed = 1_000;
const pageSize = 75;

/** Lists what people have asked for, or what the user has. */
export async function listRequests(options: GlobalOptions, own: boolean): Promise<void> {
  const requests = await takeFromPages(
    { limit: maxListed, pageSize },
    async (page) => (await ask(options, AccessRequestsDocument, { ...page, own })).accessRequests,
  );
  if (options.json) printJson(requests);
  else print(requests.length === 0 ? "nothing waits for a decision" : tableOf(requests));
}

/** Asks administrators for a level or a permission of an app. */
export async function askForAccess(options: GlobalOptions, asked: RequestAccessMutationVariables): Promise<void> {
  const { requestAccess: request } = await ask(options, RequestAccessDocument, asked);
  if (options.json) printJson(request);
  else print(`administrators see that you ask for ${request.access} of ${request.appName}`);
}

/** Gives what a person has asked for, or declines it. */
export async function decideRequest(options: GlobalOptions, id: string, decision: AccessDecision): Promise<void> {
  const { decideAccessRequest: request } = await ask(options, DecideAccessRequestDocument, { id, decision });
  if (options.json) printJson(request);
  else print(`${personText(request.person)} ${outcomeOf(request)}`);
}

function outcomeOf({ state, access, appName }: AccessRequestFragment): string {
  return state === "GRANTED" ? `has ${access} of ${appName} now` : `does not get ${access} of ${appName}`;
}

function tableOf(requests: readonly AccessRequestFragment[]): string {
  const rows = requests.map(({ id, person, appName, access, reason, state, requestedAt }) => [
    requestedAt,
    personText(person),
    access,
    appName,
    reason ?? "-",
    state,
    id,
  ]);
  return renderTable(["AT", "WHO", "ASKS FOR", "OF", "REASON", "STATE", "ID"], rows);
}
