/** Names of the apps in lists: a page of 50 has a next one. */
export const listedApps: readonly string[] = Array.from({ length: 60 }, (_, index) => `com.example.listed${index}`);

/** The app that is read alone. */
export const readApp = "com.example.listed7";
