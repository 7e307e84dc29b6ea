/** Names of activities (docs/interface/manifest.md#activities). */
export const activityNamePattern: RegExp = /^[a-z][a-z0-9_-]{0,62}$/;
