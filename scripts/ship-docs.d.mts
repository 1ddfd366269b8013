export function shippedPages(): Map<string, string>;
