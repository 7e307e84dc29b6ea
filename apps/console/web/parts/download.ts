/** Lets the browser save a text as a file. */
export function download(fileName: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has its own reference to the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
