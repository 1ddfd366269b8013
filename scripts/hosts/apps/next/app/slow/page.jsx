export const dynamic = 'force-dynamic';

export default async function Slow() {
  const response = await fetch(process.env.BACKEND_URL, { cache: 'no-store' });
  return <p>The slow answer is {await response.text()}</p>;
}
