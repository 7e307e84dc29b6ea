/** Parameters of the routes of one app. */
export interface AppParams {
  readonly id: string;
}

const id = { type: "string", description: "id of the app" };

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
