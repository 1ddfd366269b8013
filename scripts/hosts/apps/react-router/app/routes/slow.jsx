export async function loader() {
  const response = await fetch(process.env.BACKEND_URL);
  return { answer: await response.text() };
}

export default function Slow({ loaderData }) {
  return <p>{`The slow answer is ${loaderData.answer}`}</p>;
}
