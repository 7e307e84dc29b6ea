/** Maximum sizes of the parts of a manifest. A larger system must be split into several apps. */
export const manifestLimits = {
  /** Total length of all texts, in characters. Asset contents do not count. */
  textLength: 2 * 1024 * 1024,
  /** Maximum number of listed violations and warnings. The rest is only counted. */
  violations: 100,
  assets: 1_000,
  assetBytes: 16 * 1024 * 1024,
  assetBytesTotal: 64 * 1024 * 1024,
  assetNameLength: 255,
  routes: 1_000,
  /** Per route. */
  methods: 20,
  /** Per route, per API and per navigation entry. */
  permissions: 50,
  forwardHeaders: 100,
  timeoutMs: 600_000,
  bodyBytes: 1024 * 1024 * 1024,
  requiredPermissions: 200,
  dependencies: 200,
  constraintLength: 256,
  settings: 500,
  /** Settings whose values are checked against a pattern. */
  settingPatterns: 64,
  /** Per setting: values of `enum`, and of `ui_hints.options`. */
  settingOptions: 1_000,
  /** Settings with an environment variable. */
  settingVariables: 64,
  /** Constants of `environment`. */
  environment: 100,
  /** Total length of the names and values of `environment`, in bytes. */
  environmentBytes: 65_536,
  /** What container engines accept. The operator's maximum is part of the plan of an installation. */
  resources: {
    memoryMb: { least: 6, most: 16_777_216 },
    cpuShares: { least: 2, most: 262_144 },
    pids: { least: 1, most: 4_194_304 },
  },
  replicas: { most: 100 },
  hooks: 500,
  activities: 200,
  storage: 16,
  mountPathLength: 255,
  descriptionLength: 120,
  displayNameLength: 100,
  translations: 30,
  /** All levels together. */
  navigationEntries: 500,
  navigationDepth: 3,
  navigationTitleLength: 100,
  navigationIconLength: 64 * 1024,
  /** Per navigation entry. */
  navigationMetadata: 50,
  /** Length of paths and URLs. */
  addressLength: 2_048,
} as const;
