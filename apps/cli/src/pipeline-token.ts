import {
  type ExchangedTokenResponse,
  type TokenErrorResponse,
  tokenExchangeGrant,
  tokenExchangePath,
  tokenTypes,
} from "@appserver/contracts/command-line";
import type { GlobalOptions } from "./global-options.ts";
import { readText, send } from "./http.ts";
import type { RequestedIdToken } from "./pipeline-variables.ts";
import { Refusal } from "./refusal.ts";
import { sleep } from "./sleep.ts";
import { UsageError } from "./usage-error.ts";

const tries = 4;
const timeoutMs = 30_000;
const longestWaitSeconds = 20;

/**
 * Returns the options with a token: the given one, or that for which the platform exchanges the job's own. Without either they stay as
 * they are. An id token can be exchanged only once, so that a process calls it once.
 */
export async function withPipelineToken(options: GlobalOptions): Promise<GlobalOptions> {
  if (options.token !== undefined || !options.idToken) return options;
  return { ...options, token: (await exchangeIdToken(options)).access_token };
}

/** Exchanges the id token of the job. Rejects with {@link UsageError} outside of a pipeline, and with `Refusal`. */
export async function exchangeIdToken(options: GlobalOptions): Promise<ExchangedTokenResponse> {
  const { idToken: source, token: _, ...anonymous } = options;
  if (!source)
    throw new UsageError(
      "there is no id token of a pipeline: set APPSERVER_ID_TOKEN, or give a job of GitHub Actions the permission `id-token: write`",
    );
  const subjectToken = "token" in source ? source.token : await requestIdToken(source, options);
  const form = new URLSearchParams({
    grant_type: tokenExchangeGrant,
    subject_token: subjectToken,
    subject_token_type: tokenTypes.idToken,
  });
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(anonymous, { path: tokenExchangePath, form });
    const status = response.statusCode ?? 0;
    const body = await readText(options, response);
    if (status === 200) return JSON.parse(body) as ExchangedTokenResponse;
    const mayPass = status === 503 || status === 429;
    if (!mayPass || attempt === tries) throw refusalOf(status, body);
    await sleep(1_000 * Math.min(longestWaitSeconds, Number(response.headers["retry-after"]) || 5));
  }
}

function refusalOf(status: number, body: string): Refusal {
  try {
    const { error, error_description: description } = JSON.parse(body) as Partial<TokenErrorResponse>;
    if (error !== undefined)
      return Refusal.ofGraphql({
        message: `the platform did not exchange the id token of the pipeline: ${description}`,
        code: error,
      });
  } catch {
    // No JSON.
  }
  return Refusal.ofBody(status, body);
}

/** Requests the token of a job of GitHub Actions, by default for the address of the platform. */
async function requestIdToken({ url, bearer, audience }: RequestedIdToken, { http }: GlobalOptions): Promise<string> {
  const address = new URL(url);
  address.searchParams.set("audience", audience ?? new URL(http).origin);
  const problem = `GitHub Actions gave no id token (${address.origin})`;
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${bearer}`, accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Error(problem, { cause });
  });
  if (!response.ok) throw new Error(`${problem}: it responded with ${response.status}`);
  const { value } = (await response.json()) as { readonly value?: string };
  if (!value) throw new Error(problem);
  return value;
}
