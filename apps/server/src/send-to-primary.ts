/**
 * Sends a message to the primary process of a worker. A message that cannot be sent is lost: the primary has ended, and the worker
 * stops, too. Without the callback Node would raise an error that ends the worker in the middle of its requests.
 */
export function sendToPrimary(message: object): void {
  process.send?.(message, undefined, undefined, () => {});
}
