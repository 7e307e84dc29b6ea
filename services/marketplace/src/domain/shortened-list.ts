/** Maximum number of names that a message lists. The details of a problem have all. */
const maxNames = 10;

/** Lists names for a message: "a, b, c and 7 more". */
export function shortenedList(names: readonly string[], separator = ", "): string {
  const shown = names.slice(0, maxNames).join(separator);
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}
