/**
 * A favicon of 16 × 16 pixels in one colour, since browsers request one. It is inlined, so that no file must be
 * located.
 */
const base64 =
  'AAABAAEAEBACAAEAAQCwAAAAFgAAACgAAAAQAAAAIAAAAAEAAQAAAAAAgAAAAAAAAAAAAAAAAgAAAAIAAAAAAAAAaz8f' +
  'AAAAAAB//gAAQAIAAF56AABeegAAWBoAAFgaAABZmgAAWZoAAFgaAABYGgAAXnoAAF56AABAAgAAf/4AAAAAAAD//wAA' +
  'gAEAAL/9AAChhQAAoYUAAKflAACn5QAApmUAAKZlAACn5QAAp+UAAKGFAAChhQAAv/0AAIABAAD//wAA';

export const favicon = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
