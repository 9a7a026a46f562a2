/* HeCBench floydwarshall, kernel floydWarshallPass (BSD-3-Clause). Row and column `pass` keep their values: distances to oneself are 0. */
void floydWarshallPass(unsigned int *restrict pathDistanceBuffer, unsigned int *restrict pathBuffer,
                       const unsigned int numNodes, const unsigned int pass)
{
    // warplens: pathDistanceBuffer has no shared elements
    for (int yValue = 0; yValue < numNodes; yValue++)
        for (int xValue = 0; xValue < numNodes; xValue++) {
            int k = pass;
            int oldWeight = pathDistanceBuffer[yValue * numNodes + xValue];
            int tempWeight = pathDistanceBuffer[yValue * numNodes + k] +
                             pathDistanceBuffer[k * numNodes + xValue];

            if (tempWeight < oldWeight)
            {
                pathDistanceBuffer[yValue * numNodes + xValue] = tempWeight;
                pathBuffer[yValue * numNodes + xValue] = k;
            }
        }
}
