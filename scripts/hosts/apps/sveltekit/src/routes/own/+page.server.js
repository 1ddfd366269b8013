export async function load({ fetch }) {
  const { status } = await fetch(`http://127.0.0.1:${process.env.PORT}/slow`);
  return { status };
}
