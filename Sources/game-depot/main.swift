print(PackageResources.openapi_yaml.count)
