import { pageInstead, pageOf } from "./addresses.ts";
import type { Flow, FlowKind } from "./flow.ts";

/** What follows from a response of Kratos. */
export type Step =
  | { readonly kind: "flow"; readonly flow: Flow }
  /** The flow has ended. `next` is where Kratos would send the browser. */
  | { readonly kind: "finished"; readonly next: string | undefined }
  | { readonly kind: "leave"; readonly to: string }
  | { readonly kind: "signed-in" }
  | { readonly kind: "signed-out" }
  /** Proves again that it is the user: the session is too old for the change, or has one factor only. */
  | { readonly kind: "prove"; readonly by: "refresh" | "aal2" }
  /** The flow has expired or does not belong to this browser. `flow` is the id of its successor, if there is one. */
  | { readonly kind: "restart"; readonly flow: string | undefined };

/** The flow is switched off in the configuration of Kratos. */
export class FlowDisabled extends Error {
  override readonly name = "FlowDisabled";
}

interface Continuation {
  readonly action: string;
  readonly flow?: { readonly id: string };
  readonly redirect_browser_to?: string;
}

interface Response {
  readonly status: number;
  readonly id?: string;
  readonly ui?: Flow["ui"];
  readonly session?: object;
  readonly identity?: object;
  readonly continue_with?: readonly Continuation[] | null;
  readonly redirect_browser_to?: string;
  readonly use_flow_id?: string;
  /** A text in errors of the platform. */
  readonly error?: string | { readonly id?: string; readonly reason?: string; readonly message?: string };
}

export interface Beginning {
  readonly aal?: "aal2" | undefined;
  readonly refresh?: true | undefined;
  /** Path of this platform. */
  readonly returnTo?: string | undefined;
}

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
  const isRefused = errorId(response) === "self_service_flow_return_to_forbidden";
  return stepOf(isRefused ? await request(`${path}?${query}`) : response);
}

/** Reads a flow that began before. */
export async function resume(kind: FlowKind, id: string): Promise<Step> {
  return stepOf(await request(`/self-service/${kind}/flows?${new URLSearchParams({ id })}`));
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

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...init, headers: { accept: "application/json" } }).catch(() => undefined);
  if (!response) throw new Error("The platform does not respond. Try again.");
  const body = (await response.json().catch(() => undefined)) as Omit<Response, "status"> | undefined;
  if (response.status === 429) throw new Error(`Too many attempts. Try again in ${seconds(response)}.`);
  if (!body || response.status >= 500) throw new Error("The sign-in service does not respond. Try again.");
  return { ...body, status: response.status };
}

function seconds({ headers }: globalThis.Response): string {
  const wait = Number(headers.get("retry-after") ?? 1);
  return wait > 90 ? `${Math.ceil(wait / 60)} minutes` : `${wait} seconds`;
}

function stepOf(response: Response): Step {
  const { status, id, ui, continue_with: continuations, redirect_browser_to: redirect, use_flow_id: successor } = response;
  if (ui && id !== undefined) return flowStep({ ...response, id, ui }, continuations ?? []);
  if (status === 200) return continued(continuations ?? []) ?? { kind: "finished", next: nextOf(continuations ?? []) };
  switch (errorId(response)) {
    case "session_already_available":
      return { kind: "signed-in" };
    case "session_inactive":
    case "session_aal1_required":
      return { kind: "signed-out" };
    case "session_refresh_required":
      return { kind: "prove", by: "refresh" };
    case "session_aal2_required":
      return { kind: "prove", by: "aal2" };
    case "self_service_flow_disabled":
      throw new FlowDisabled(reasonOf(response));
    case "security_csrf_violation":
    case "security_identity_mismatch":
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

function errorId({ error }: Response): string | undefined {
  return typeof error === "object" ? error.id : undefined;
}

function reasonOf({ error }: Response): string {
  if (typeof error === "string") return error;
  return error?.reason ?? error?.message ?? "The sign-in service sent an unexpected response.";
}
