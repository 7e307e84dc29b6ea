/** Parameters of the routes of one app. */
export interface AppParams {
  readonly id: string;
}

const id = { type: "string", description: "The name or the id of an app" };

export const appParamsSchema = { type: "object", required: ["id"], properties: { id } };

/** Parameters of the routes of one approval. */
export interface ApprovalParams extends AppParams {
  readonly scope: string;
}

export const approvalParamsSchema = {
  type: "object",
  required: ["id", "scope"],
  properties: { id, scope: { type: "string", description: "the approved scope" } },
};

export interface ApproveBody {
  readonly scopes: readonly string[];
  readonly manifestDigest?: string;
}

export const approveBodySchema = {
  type: "object",
  required: ["scopes"],
  properties: {
    scopes: { type: "array", minItems: 1, items: { type: "string" } },
    manifestDigest: { type: "string", description: "SHA-256 of the reviewed manifest, hex" },
  },
  additionalProperties: false,
};

const text = { type: "string" };

/** An object with these texts, and the owner of the scope. */
function recordOf(names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, text]));
  const owner = { type: ["string", "null"], description: "the app that owns the scope; null: the platform" };
  return { type: "object", properties: { ...properties, owner }, required: [...names, "owner"] };
}

const approvals = {
  appId: text,
  appName: text,
  needed: { type: "array", items: recordOf(["scope", "resourceType", "reason", "version", "manifestDigest"]) },
  granted: { type: "array", items: recordOf(["scope", "approvedBy", "approvedAt"]) },
};

/** The approvals of an app. */
export const approvalsResponse = {
  description: "What the app needs, and what is approved",
  schema: { type: "object", properties: approvals, required: Object.keys(approvals) },
};

const operation = { type: "object", description: "the operation of the command", additionalProperties: true };
const changed = { ...approvals, operation };

/** The approvals of an app after a command, with its operation. */
export const changedApprovalsResponse = {
  description: "What the app needs, what is approved, and the operation",
  schema: { type: "object", properties: changed, required: Object.keys(changed) },
};
