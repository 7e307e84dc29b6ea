/** Calls the backend of the app, as the user. Rejects with its text if it refuses. */
export async function call(page, method, path, body) {
  const headers = { "content-type": "application/json" };
  const response = await page.fetch(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : JSON.parse(text);
  throw new Error(errorIn(text) ?? `the backend returned status ${response.status}`);
}

function errorIn(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}
