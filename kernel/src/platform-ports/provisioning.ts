/** A request of a system that keeps the accounts of an organisation (RFC 7644). Its token was accepted. */
export interface ProvisioningRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below `/scim/v2`, as they were sent: `/Users?filter=userName%20eq%20%22ada%22`. */
  readonly target: string;
  /** The address of the platform for this client, without a path: `https://platform.example.com`. */
  readonly origin: string;
  /** `If-Match`: the versions of which the client changes one. */
  readonly ifMatch?: string | undefined;
  /** JSON, of a request that has a body. */
  readonly body?: Uint8Array;
}

export interface ProvisioningResponse {
  readonly status: number;
  /** Sent as JSON. Undefined: the response has no body. */
  readonly body?: object;
  /** The address of the resource. */
  readonly location?: string | undefined;
  /** The version of the resource, as the value of the header `ETag`. */
  readonly etag?: string | undefined;
}

/** The SCIM service of the identity provider, by which an organisation makes, disables and removes accounts and groups. */
export interface Provisioning {
  /** Returns whether a bearer token is the one of the option. Takes the same time for every wrong one. */
  accepts(token: string): boolean;
  /**
   * Returns refusals of SCIM as responses. Rejects with SERVICE_UNAVAILABLE if the provider does not respond, or if groups could not be
   * written yet: the same request may be sent again.
   */
  send(request: ProvisioningRequest): Promise<ProvisioningResponse>;
}
