export async function load({ fetch }) {
  const response = await fetch(process.env.BACKEND_URL);
  return { rows: await response.json() };
}
