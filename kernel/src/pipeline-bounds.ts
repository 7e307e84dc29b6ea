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
export interface PipelineBounds {
  readonly trustId: string;
  /** Names of the only apps on which it acts. */
  readonly apps: readonly string[];
  readonly run: PipelineRun;
  /**
   * The app on which the operation in progress acts. Without it, the caller holds no permission of the platform but
   * `app:view`: an operation that nothing has compared with `apps` is refused.
   */
  readonly actsOn?: string | undefined;
}
