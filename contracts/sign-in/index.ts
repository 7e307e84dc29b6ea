// The flows of people who sign in: what an identity driver answers below `/self-service/`, and pages show.

/** The flows in which people sign in and change their account, by their names in paths: `/self-service/login/browser`. */
export type FlowKind = "login" | "registration" | "recovery" | "verification" | "settings";

export interface Message {
  readonly id: number;
  readonly type: "info" | "error" | "success";
  readonly text: string;
}

interface NodeOf<Type extends string, Attributes> {
  readonly type: Type;
  readonly group: string;
  readonly attributes: Attributes;
  readonly messages: readonly Message[];
  readonly meta: { readonly label?: { readonly text: string } };
}

export type InputNode = NodeOf<
  "input",
  {
    readonly name: string;
    /** `text`, `password`, `hidden`, `submit` …: as HTML has them. */
    readonly type: string;
    readonly value?: string | number | boolean | null;
    readonly required?: boolean;
    readonly disabled?: boolean;
    readonly autocomplete?: string;
    readonly maxlength?: number;
  }
>;

/** A button that makes or uses a passkey. Pages call `navigator.credentials`, and send the result as JSON in the field `name`. */
export type PasskeyNode = NodeOf<
  "passkey",
  {
    readonly name: string;
    readonly ceremony: "create" | "get";
    /** For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
    readonly options: object;
  }
>;

/**
 * One part of a form. This, and all of this file, is the part that pages show of the API that Ory Kratos has for browsers, and passkeys;
 * identity drivers answer `/self-service/**` in it. Kinds of nodes that are not listed here are not shown.
 */
export type FlowNode =
  | InputNode
  | NodeOf<"img", { readonly id: string; readonly src: string; readonly width: number; readonly height: number }>
  | NodeOf<
      "text",
      {
        readonly id: string;
        readonly text: {
          readonly text: string;
          readonly context?: { readonly secrets?: readonly { readonly text: string }[] };
        };
      }
    >
  | PasskeyNode
  | NodeOf<"a", { readonly id: string; readonly href: string; readonly title: { readonly text: string } }>
  | NodeOf<"script", object>;

export interface Flow {
  readonly id: string;
  readonly state?: string;
  /** Where the provider would send the browser, if the flow began with it. */
  readonly return_to?: string;
  readonly requested_aal?: string;
  readonly ui: { readonly nodes: readonly FlowNode[]; readonly messages?: readonly Message[] };
}

/** What a browser may do next. */
export interface Continuation {
  readonly action: string;
  readonly flow?: { readonly id: string };
  readonly redirect_browser_to?: string;
}

/** The body of a response: of a flow, of one that has ended, or of an error. */
export interface FlowAnswer {
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

/**
 * The method of the form that a page sends if its URL has a token in the fragment: `/login/registration#token=…`. The field `token`
 * contains it. No browser sends a fragment by itself, so links keep their token out of the logs of servers.
 */
export const linkMethod = "link";

/** Errors that pages act on, by the `id` of the error. */
export const flowErrors = {
  /** The browser has a session. */
  signedIn: "session_already_available",
  /** The browser has no session. */
  signedOut: "session_inactive",
  noFactor: "session_aal1_required",
  /** The change needs a sign-in of the last minutes. */
  refresh: "session_refresh_required",
  /** The session has one factor, and needs a second one. */
  secondFactor: "session_aal2_required",
  disabled: "self_service_flow_disabled",
  /** The page that the browser should return to is not one of the platform. */
  returnForbidden: "self_service_flow_return_to_forbidden",
  crossSite: "security_csrf_violation",
  otherIdentity: "security_identity_mismatch",
} as const;
