import {
  type Continuation,
  type Flow,
  type FlowAnswer,
  type FlowKind,
  flowErrors,
  linkMethod,
} from "@appserver/contracts/sign-in";
import { i18n, language } from "../../i18n.ts";
import { pageInstead, pageOf } from "./addresses.ts";

/** What follows from a response. */
export type Step =
  | { readonly kind: "flow"; readonly flow: Flow }
  /** The flow has ended. `next` is where the provider would send the browser. */
  | { readonly kind: "finished"; readonly next: string | undefined }
  | { readonly kind: "leave"; readonly to: string }
  | { readonly kind: "signed-in" }
  | { readonly kind: "signed-out" }
  /** Proves again that it is the user: the session is too old for the change, or has one factor only. */
  | { readonly kind: "prove"; readonly by: "refresh" | "aal2" }
  /** The flow has expired or does not belong to this browser. `flow` is the id of its successor, if there is one. */
  | { readonly kind: "restart"; readonly flow: string | undefined };

/** The flow is switched off in the configuration of the provider. */
export class FlowDisabled extends Error {
  override readonly name = "FlowDisabled";
}

export interface Beginning {
  readonly aal?: "aal2" | undefined;
  readonly refresh?: true | undefined;
  /** Path of this platform. */
  readonly returnTo?: string | undefined;
}

type Answer = FlowAnswer & { readonly status: number };

/** Begins a flow. Rejects with an error that says why that is not possible. */
export async function begin(kind: FlowKind, { aal, refresh, returnTo }: Beginning): Promise<Step> {
  const query = new URLSearchParams({ ...(aal && { aal }), ...(refresh && { refresh: "true" }) });
  const path = `/self-service/${kind}/browser`;
  const withReturn = new URLSearchParams([
    ...query,
    ...(returnTo === undefined ? [] : [["return_to", location.origin + returnTo]]),
  ]);
  const response = await request(`${path}?${withReturn}`);
  // Only registration has a code for it.
  const isDisabled = response.status === 400 && (kind === "recovery" || kind === "verification") && !errorId(response);
  if (isDisabled) throw new FlowDisabled(reasonOf(response));
  // Only a sign-in at another service needs Kratos to know the page. Without it, such a sign-in ends at Kratos' default page.
  const isRefused = errorId(response) === flowErrors.returnForbidden;
  return stepOf(isRefused ? await request(`${path}?${query}`) : response);
}

/** Reads a flow that began before. */
export async function resume(kind: FlowKind, id: string, { refresh, returnTo }: Beginning = {}): Promise<Step> {
  const query = new URLSearchParams({
    id,
    ...(refresh && { refresh: "true" }),
    ...(returnTo !== undefined && { return_to: location.origin + returnTo }),
  });
  return stepOf(await request(`/self-service/${kind}/flows?${query}`));
}

/** Begins the flow of the link with which the page was opened. Undefined if it was opened by another one. */
export function followLink(kind: FlowKind): Promise<Step> | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  return token === null ? undefined : submit(kind, linkMethod, new URLSearchParams({ method: linkMethod, token }));
}

/** Sends the values of a form. */
export async function submit(kind: FlowKind, id: string, fields: URLSearchParams): Promise<Step> {
  return stepOf(await request(`/self-service/${kind}?${new URLSearchParams({ flow: id })}`, { method: "POST", body: fields }));
}

/** Reads why Kratos sent the browser to the page for errors. */
export async function readError(id: string): Promise<string> {
  const response = await request(`/self-service/errors?${new URLSearchParams({ id })}`);
  return reasonOf(response);
}

async function request(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(path, { ...init, headers: { accept: "application/json" } }).catch(() => undefined);
  if (!response) throw new Error(i18n.t("The platform does not respond. Try again."));
  const body = (await response.json().catch(() => undefined)) as FlowAnswer | undefined;
  if (response.status === 429) throw new Error(i18n.t("Too many attempts. Try again in {wait}.", { wait: waitOf(response) }));
  if (!body || response.status >= 500) throw new Error(i18n.t("The sign-in service does not respond. Try again."));
  return { ...body, status: response.status };
}

function waitOf({ headers }: Response): string {
  const wait = Number(headers.get("retry-after") ?? 1);
  const [unit, count] = wait > 90 ? (["minute", Math.ceil(wait / 60)] as const) : (["second", wait] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

function stepOf(response: Answer): Step {
  const { status, id, ui, continue_with: continuations, redirect_browser_to: redirect, use_flow_id: successor } = response;
  if (ui && id !== undefined) return flowStep({ ...response, id, ui }, continuations ?? []);
  if (status === 200) return continued(continuations ?? []) ?? { kind: "finished", next: nextOf(continuations ?? []) };
  switch (errorId(response)) {
    case flowErrors.signedIn:
      return { kind: "signed-in" };
    case flowErrors.signedOut:
    case flowErrors.noFactor:
      return { kind: "signed-out" };
    case flowErrors.refresh:
      return { kind: "prove", by: "refresh" };
    case flowErrors.secondFactor:
      return { kind: "prove", by: "aal2" };
    case flowErrors.disabled:
      throw new FlowDisabled(reasonOf(response));
    case flowErrors.crossSite:
    case flowErrors.otherIdentity:
      return { kind: "restart", flow: undefined };
  }
  if (redirect !== undefined) return { kind: "leave", to: pageInstead(redirect) };
  if (status === 404 || status === 410) return { kind: "restart", flow: successor };
  throw new Error(reasonOf(response));
}

/** A recovery that has succeeded continues with the settings. After other flows the page shows what Kratos says about them. */
function flowStep(flow: Flow, continuations: readonly Continuation[]): Step {
  return continued(continuations.filter(({ action }) => action === "show_settings_ui")) ?? { kind: "flow", flow };
}

const nextFlows: Readonly<Record<string, FlowKind>> = {
  show_verification_ui: "verification",
  show_settings_ui: "settings",
  show_recovery_ui: "recovery",
};

function continued(continuations: readonly Continuation[]): Step | undefined {
  for (const { action, flow } of continuations) {
    const kind = nextFlows[action];
    if (kind && flow) return { kind: "leave", to: pageOf(kind, { flow: flow.id }) };
  }
  return undefined;
}

function nextOf(continuations: readonly Continuation[]): string | undefined {
  return continuations.find(({ action }) => action === "redirect_browser_to")?.redirect_browser_to;
}

function errorId({ error }: Answer): string | undefined {
  return typeof error === "object" ? error.id : undefined;
}

function reasonOf({ error }: Answer): string {
  if (typeof error === "string") return error;
  return error?.reason ?? error?.message ?? i18n.t("The sign-in service sent an unexpected response.");
}
