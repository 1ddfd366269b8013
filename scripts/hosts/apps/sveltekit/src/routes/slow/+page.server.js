export async function load({ fetch }) {
  const response = await fetch(process.env.BACKEND_URL);
  return { answer: await response.text() };
}
