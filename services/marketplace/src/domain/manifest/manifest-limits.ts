/** The most that a manifest may hold of each kind. Whoever needs more has more than one app. */
export const manifestLimits = {
  /** Of all texts together, in characters; assets do not count. */
  textLength: 2 * 1024 * 1024,
  /** Violations and warnings that are listed; the rest is counted. */
  violations: 100,
  assets: 1_000,
  assetBytes: 16 * 1024 * 1024,
  assetBytesTotal: 64 * 1024 * 1024,
  assetNameLength: 255,
  routes: 1_000,
  /** Of one route. */
  methods: 20,
  /** Of one route, of the API, and of one navigation entry. */
  permissions: 50,
  forwardHeaders: 100,
  timeoutMs: 600_000,
  bodyBytes: 1024 * 1024 * 1024,
  requiredPermissions: 200,
  dependencies: 200,
  constraintLength: 256,
  settings: 500,
  /** Settings whose values are held against a pattern. */
  settingPatterns: 64,
  /** Of one setting: values of `enum`, and of `ui_hints.options`. */
  settingOptions: 1_000,
  hooks: 500,
  activities: 200,
  /** All levels together. */
  navigationEntries: 500,
  navigationDepth: 3,
  navigationTitleLength: 100,
  navigationIconLength: 64 * 1024,
  /** Of one navigation entry. */
  navigationMetadata: 50,
  /** Of paths and URLs. */
  addressLength: 2_048,
} as const;
