/** What binds a caller to apps: a trusted pipeline, or a language model to which a person has given some apps. */
export interface AppBounds {
  /** Names of the only apps on which the caller acts. */
  readonly apps: readonly string[];
  /**
   * The app on which the operation in progress acts. Without it, the caller holds no permission of the platform but
   * `app:view`: an operation that nothing has compared with `apps` is refused.
   */
  readonly actsOn?: string | undefined;
}

/** The run of a pipeline, as the verified token of its provider describes it. Texts are bounded and have no control characters. */
export interface PipelineRun {
  readonly provider: PipelineProvider;
  readonly repository: string;
  readonly commit?: string | undefined;
  readonly ref?: string | undefined;
  /** `http:` or `https:` */
  readonly runUrl?: string | undefined;
}

export type PipelineProvider = "github" | "gitlab" | "oidc";

/** What binds the token of a trusted pipeline to apps (docs/interface/permissions.md#trusted-pipelines). */
export interface PipelineBounds extends AppBounds {
  readonly trustId: string;
  readonly run: PipelineRun;
}
