/** Semantic version of the platform. */
export const platformVersion = "0.1.0";
