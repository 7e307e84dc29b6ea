/**
 * The one global of Node that the checks of setting values have. They use it for settings with a variable only, and the schema that
 * the console reads has no variables: the server checks these.
 */
declare const Buffer: { byteLength(text: string): number };
